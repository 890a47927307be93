/* bar.c - the progress bar. */
#include "bar.h"

#include <stdio.h>

enum { WIDTH = 30 };

void bar_draw(int done, int all, const char *name)
{
    int filled = all > 0 ? WIDTH * done / all : 0;
    fputs("\r[", stderr);
    for (int i = 0; i < WIDTH; i++)
        putc(i < filled ? '#' : '.', stderr);
    fprintf(stderr, "] %d/%d %-30.30s", done, all, name);
    fflush(stderr);
}

void bar_clear(void)
{
    fprintf(stderr, "\r%*s\r", WIDTH + 48, "");
    fflush(stderr);
}
