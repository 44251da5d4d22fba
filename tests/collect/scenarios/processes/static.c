/* SPDX-License-Identifier: MIT */
/* Statically linked: no loader can load the recorder into it. */
int main(void)
{
	return 3;
}
