/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/utf8.h"

size_t utf8_length(const char *text, size_t left)
{
	const unsigned char *next = (const unsigned char *)text;
	unsigned char first = next[0], low = 0x80, high = 0xbf;
	size_t length;

	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		length = 2;
	else if (first >= 0xe0 && first <= 0xef)
		length = 3;
	else if (first >= 0xf0 && first <= 0xf4)
		length = 4;
	else
		return 0;
	if (first == 0xe0)
		low = 0xa0;
	else if (first == 0xed)
		high = 0x9f;
	else if (first == 0xf0)
		low = 0x90;
	else if (first == 0xf4)
		high = 0x8f;
	if (left < length || next[1] < low || next[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((next[i] & 0xc0) != 0x80)
			return 0;
	return length;
}
