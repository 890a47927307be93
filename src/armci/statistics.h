/* statistics.h - statistics of a job: switched on at start, gathered and written at the end. */
#ifndef ARMCII_STATISTICS_H
#define ARMCII_STATISTICS_H

/* Collective over the world: count, where the first process is told to. */
void armcii_statistics_start(void);
/* Collective over the world: the first process prints or writes what all have counted; nothing is counted any more. */
void armcii_statistics_report(void);

#endif
