/* report.c - the document of --report. */
#include "report.h"

#include <stddef.h>
#include <sys/utsname.h>

#include "../info/info.h"
#include "base/config.h"
#include "base/json.h"
#include "figures.h"
#include "table.h"

/* Processors and memory are in the limits of armci_info. */
static void add_machine(struct json *j)
{
    struct utsname u;
    armcii_json_line(j);
    if (uname(&u) != 0) return;
    armcii_json_open(j, "machine", '{');
    armcii_json_text(j, "system", u.sysname);
    armcii_json_text(j, "kernel", u.release);
    armcii_json_text(j, "architecture", u.machine);
    armcii_json_close(j, '}');
}

void report_add_json(struct json *j, const char *key)
{
    armcii_config_read(NULL, NULL); /* the job warns of invalid variables */
    armcii_json_open(j, key, '{');
    armcii_json_line(j);
    info_add_json(j, "armci_info", NULL);
    armcii_json_line(j);
    table_add_json(j, "doctor");
    figures_add_json(j);
    add_machine(j);
    armcii_json_line(j);
    armcii_json_close(j, '}');
}
