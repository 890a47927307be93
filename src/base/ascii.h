/* ascii.h - characters of ASCII: <ctype.h> and <strings.h> depend on the program's locale. In
 * Turkish DIRECT is not direct; elsewhere bytes of UTF-8 characters are control characters. */
#ifndef ARMCII_ASCII_H
#define ARMCII_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline char armcii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline bool armcii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* True if the character would spoil a line. */
static inline bool armcii_is_control(char c)
{
    return (unsigned char)c < ' ' || c == 127;
}

/* True if the first `length` characters of text are `word`, in capitals or not. */
static inline bool armcii_is_word(const char *word, const char *text, size_t length)
{
    if (strlen(word) != length) return false;
    for (size_t i = 0; i < length; i++)
        if (armcii_lower(text[i]) != armcii_lower(word[i])) return false;
    return true;
}

#endif
