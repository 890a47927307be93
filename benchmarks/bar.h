/* bar.h - the progress bar. */
#ifndef ARMCI_BENCH_BAR_H
#define ARMCI_BENCH_BAR_H

/* Draw on standard error that `done` of `all` rows are measured and `name` is being measured, over the last bar. */
void bar_draw(int done, int all, const char *name);
/* Take the bar away, so that a line can be printed. */
void bar_clear(void);

#endif
