// SPDX-License-Identifier: MIT
// Exceptions thrown by a callback pass through the driver's function and its wrapper.
#include <cstdio>
#include <stdexcept>

#include "tests/collect/api/stand-in.h"

namespace
{

struct Guard {
	int &count;
	explicit Guard(int &c) : count(c)
	{
	}
	~Guard()
	{
		count++;
	}
};

void fall(void *)
{
	throw std::runtime_error("fallen");
}

void nest(void *context)
{
	int &depth = *static_cast<int *>(context);
	Guard guard(depth);

	cuTestCallback(fall, nullptr);
}

} // namespace

int main()
{
	int destroyed = 0;

	for (int i = 0; i < 3; i++) {
		try {
			Guard guard(destroyed);
			cuTestCallback(nest, &destroyed);
			std::puts("not thrown");
		} catch (const std::runtime_error &error) {
			std::printf("%s %d\n", error.what(), destroyed);
		}
	}
	return 0;
}
