/* An axis with its evidence. */
#ifndef HR_GRAPHS_LEARNER_H
#define HR_GRAPHS_LEARNER_H

#include "graphs/graphs.h"

typedef struct hr__axis {
    hr_axis_pair *pairs; /* distinct, in the order of their first sample */
    int64_t n_pairs, room, n_forgotten;
    int64_t n_seen, min, max;
    /* pairs with a batch size: the first one, and whether all have its ratio */
    int64_t n_known, batch0, size0, batch_min, batch_max;
    int is_broken;
    int64_t broken_batch, broken_size; /* the first pair of another ratio */
    /* pairs without */
    int64_t n_unknown, unknown_min, unknown_max;
    hr_axis_kind forced; /* a record's word on an axis of one size */
} hr__axis;

struct hr_spec {
    int32_t rank;
    int64_t last_batch;
    hr__axis axes[];
};

hr_axis_kind hr__axis_kind(const hr__axis *a);
int hr__axis_is_open(const hr__axis *a);

#endif
