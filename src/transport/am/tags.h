/* tags.h - the tags of replies.  A tag belongs to one reply from the request until the reply is complete, so that replies may come in any
 * order. */
#ifndef ARMCII_TAGS_H
#define ARMCII_TAGS_H

/* A tag that no other reply has, from AM_TAG_FIRST on; 0 while all AM_TAGS are in use. */
int armcii_tag_alloc(void);
void armcii_tag_free(int tag);

#endif
