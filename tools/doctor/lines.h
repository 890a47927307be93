/* lines.h - what a job tells about itself: one line each, fields separated by tabs, "@doctor" first.
 *
 *   rank NUMBER                           of the process that writes
 *   meet ADDRESSES PORT TOKEN             where rank 0's keeper listens (lifeline.h)
 *   fact NAME VALUE                       for the head of the table
 *   begin NAME SECONDS VERDICT REMEDY     a probe starts; what it is worth if it ends badly, and why that does no harm
 *   row NAME VERDICT TEXT REMEDY          what came out
 *   speed WAY WHAT MICROSECONDS MIBS      one measurement
 *   advice TEXT                           something else is better
 *   end                                   all probes are done
 */
#ifndef DOCTOR_LINES_H
#define DOCTOR_LINES_H

#include <stdbool.h>

enum verdict {
    PASS,    /* right */
    AVOIDED, /* MPI has a defect; ARMCI does not meet it */
    WRONG,   /* ARMCI meets it, or is wrong itself */
    UNUSED,  /* a way that is not the one in use is wrong */
    NOTE,    /* neither right nor wrong */
    SKIPPED, /* not possible here */
    UNTRIED  /* the job ended before */
};
const char *verdict_word(enum verdict v);
/* false: no such word. */
bool verdict_of_word(const char *word, enum verdict *v);

enum { LINE_FIELDS = 6, LINE_ROOM = 1024 };

struct line {
    char text[LINE_ROOM];
    const char *field[LINE_FIELDS]; /* [0]: the kind; "" where there is none */
};
/* Take a line apart; false: it is none of ours. */
bool line_parse(struct line *line, const char *text);

/* Where this process's lines go. */
void lines_to(int descriptor);
/* Write one line by one call: the kind, then fields separated by tabs. */
void line_write(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
