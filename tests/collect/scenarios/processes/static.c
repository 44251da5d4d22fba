/* SPDX-License-Identifier: MIT */
/* Linked statically: no loader could put the recorder into it. */
int main(void)
{
	return 3;
}
