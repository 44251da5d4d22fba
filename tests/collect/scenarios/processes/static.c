/* SPDX-License-Identifier: MIT */
/* A statically linked program, into which no loader can load the recorder. */
int main(void)
{
	return 3;
}
