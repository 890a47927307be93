/* commit.h - the commit of the source. */
#ifndef TOOLS_LIB_COMMIT_H
#define TOOLS_LIB_COMMIT_H

/* The output of `git describe`, ending in "-dirty" for changed files, or "unknown". The
 * Makefile writes commit.c, which alone is compiled anew when the commit changes. */
const char *build_commit(void);

#endif
