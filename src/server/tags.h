/* tags.h - the tags by which a process knows the answers to its requests. */
#ifndef ARMCII_TAGS_H
#define ARMCII_TAGS_H

/* Of an answer that comes in the order in which answers were asked for.  Tags come round again after WIRE_TAGS. */
int armcii_tag(void);

/* Of an answer that comes when it may: whoever waits for a mutex keeps a tag for as long as that takes. */
struct kept_tag {
    struct kept_tag *next;
    int tag;
};
/* Nobody else is given k->tag until it is dropped. */
void armcii_tag_keep(struct kept_tag *k);
void armcii_tag_drop(struct kept_tag *k);

#endif
