/* errors.c - error handlers of the library's communicators. */
#include "mpi/errors.h"

#include <string.h>

#include "base/log.h"

MPI_Errhandler armcii_errors_ask(MPI_Comm comm)
{
    MPI_Errhandler before;
    MPI_Comm_get_errhandler(comm, &before);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return before;
}

void armcii_errors_end(MPI_Comm comm, MPI_Errhandler before)
{
    MPI_Comm_set_errhandler(comm, before);
    MPI_Errhandler_free(&before);
}

/* The last line of MPI's explanation: the cause, where there are several. */
static const char *cause_of(int code, char text[MPI_MAX_ERROR_STRING])
{
    int length = 0;
    MPI_Error_string(code, text, &length);
    while (length > 0 && text[length - 1] == '\n')
        length--;
    text[length] = '\0';
    const char *line = strrchr(text, '\n');
    return line ? line + 1 : text;
}

static _Thread_local bool asks;

static void end_unless_asked(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    (void)comm;
    if (!asks) armcii_fatal("MPI: %s", cause_of(*code, text));
}

void armcii_errors_prepare_threads(MPI_Comm comm)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(end_unless_asked, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
}

void armcii_errors_ask_here(bool ask)
{
    asks = ask;
}

bool armcii_errors_is_made(int code, MPI_Comm comm)
{
    char text[MPI_MAX_ERROR_STRING];
    if (code == MPI_SUCCESS && comm != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    if (code != MPI_SUCCESS) armcii_warn("MPI creates no communicator: %s", cause_of(code, text));
    return code == MPI_SUCCESS;
}
