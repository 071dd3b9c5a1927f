"""Regions of an array of 3 x 4 x 5, right ones and wrong ones, as readers.Numpy takes them."""

REGIONS = [
    {"roi_start": [0, 1, 2], "roi_end": [2, 3, 5]}, {"roi_start": [0, 1, 2], "roi_shape": [2, 3, 3]},
    {"roi_shape": [2, 2, 2]}, {"roi_end": [2, 2, 2]}, {"roi_start": [1, 1, 1]},
    {"roi_start": [1], "roi_shape": [2], "roi_axes": [1]},
    {"roi_start": [1, 2], "roi_shape": [2, 1], "roi_axes": [2, 0]},
    {"roi_start": [1], "roi_shape": [2], "roi_axes": [-1]},
    {"rel_roi_start": [0.1, 0.3, 0.5], "rel_roi_end": [0.9, 0.8, 1.0]},
    {"rel_roi_start": [0.1, 0.3, 0.5], "rel_roi_shape": [0.5, 0.5, 0.5]},
    {"rel_roi_shape": [0.5, 0.5, 0.5]}, {"roi_start": [1, 1, 1], "rel_roi_shape": [0.5, 0.5, 0.5]},
    {"rel_roi_start": [0.5, 0.125, 0.1], "rel_roi_end": [1.0, 0.875, 0.3]},
    {"roi_start": [-1, 0, 0], "roi_end": [4, 1, 2], "out_of_bounds_policy": "pad", "fill_value": 7.6},
    {"roi_start": [-1, 0, 0], "roi_end": [9, 1, 2], "out_of_bounds_policy": "trim_to_shape"},
]
WRONG = [
    {"roi_start": [0, 0, 0], "roi_end": [4, 4, 5]}, {"roi_start": [0, 0], "roi_end": [1, 1]},
    {"roi_start": [1, 0], "roi_shape": [2, 1], "roi_axes": [1, 1]},
    {"roi_start": [1], "roi_shape": [2], "roi_axes": [3]},
    {"roi_start": [2, 0, 0], "roi_end": [1, 1, 1]}, {"roi_start": [2, 0, 0], "roi_shape": [-1, 1, 1]},
    {"roi_start": [0] * 3, "rel_roi_start": [0.0] * 3, "roi_end": [1] * 3},
    {"roi_shape": [1] * 3, "roi_end": [1] * 3}, {"out_of_bounds_policy": "x", "roi_start": [0] * 3},
]
