/* lines.h - the protocol between a job and the doctor: lines of fields separated by tabs, "@doctor"
 * first.
 *
 *   rank NUMBER                           rank of the process that writes
 *   meet ADDRESSES PORT TOKEN             where rank 0's keeper listens
 *   fact NAME VALUE                       for the head of the table
 *   begin NAME SECONDS OUTCOME WORKAROUND     a probe starts; the outcome if it crashes, and why
 * that is harmless row NAME OUTCOME TEXT WORKAROUND          the result speed PATH WHAT
 * MICROSECONDS MIBS one measurement advice TEXT                           a better setting probe
 * OPERATION MICROSECONDS COMPLETE between nodes; COMPLETE: yes, without the target; no route NAME
 * the one chosen figure ROUTE WHAT BYTES IDLE COMPUTING WAITS   medians of one operation, in
 * microseconds, with the target in MPI and computing; WAITS: yes, until the target calls MPI; no
 * end all probes are done
 */
#ifndef DOCTOR_LINES_H
#define DOCTOR_LINES_H

#include <stdbool.h>

/* Digits after the point for a time in microseconds or milliseconds: inside a node a get may take
 * 30 ns, which is 0.00003 ms. */
static inline int decimals(double time)
{
    return time < 0.001 ? 5 : time < 0.1 ? 4 : time < 10 ? 2 : 1;
}

enum outcome {
    PASS,    /* correct */
    AVOIDED, /* MPI has a defect; ARMCI works around it */
    WRONG,   /* ARMCI is affected by a defect of MPI or has one */
    UNUSED,  /* a path that is not in use is wrong */
    NOTE,    /* information */
    SKIPPED, /* not possible here */
    UNTRIED  /* the job ended earlier */
};
const char *outcome_word(enum outcome v);
/* false: unknown word. */
bool outcome_of_word(const char *word, enum outcome *v);

enum { LINE_FIELDS = 7, LINE_ROOM = 1024 };

struct line {
    char text[LINE_ROOM];
    const char *field[LINE_FIELDS]; /* [0]: the kind; "" where there is none */
};
/* Split a line into fields; false: not a line of this protocol. */
bool line_parse(struct line *line, const char *text);

/* Set the descriptor for the lines of this process. */
void lines_to(int descriptor);
/* Write one line by one system call: the kind, then fields separated by tabs. */
void line_write(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
