"""Which tests hold which row of the odd inputs: each row has some, and they exist.

The tests of a row cover its kind; those in test_odd_inputs_*.py are what other files did not have.
"""
import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).parent
ROWS = {
    "I01": "decoders:exif_orientation odd_inputs_images:orientation_wherever_it_stands codecs_more:tiff_orientation "
           "codecs_more:webp_orientation",
    "I04": "decoders:jpeg_of_four_inks odd_inputs_images:inks_in_every_kind_of_file codecs_more:tiff_inks_are_mixed",
    "I06": "odd_inputs_images:exactly_the_damaged_sample_is_named decoders:jpeg_cut_at_many_lengths "
           "odd_inputs_images:a_blank_stand_in_holds_no_random_memory",
    "I07": "odd_inputs_images:the_seven_others_come_with_their_labels decoders:no_picture_at_all",
    "I10": "decoders:jpeg_of_one_component odd_inputs_images:gray_files_of_any_kind_of_output",
    "I11": "decoders:png_16_bits odd_inputs_images:depths_and_palettes_side_by_side",
    "I12": "decoders:png_palette odd_inputs_images:depths_and_palettes_side_by_side",
    "I15": "odd_inputs_images:the_content_decides",
    "I16": "codecs_more:webp_animation_gives_its_first_frame codecs_more:webp_first_frame_smaller_than_the_canvas "
           "odd_inputs_images:formats_with_several_pictures_give_the_first_and_tell_the_number",
    "I17": "decoders:foreign_format_is_named odd_inputs_images:a_foreign_file_in_a_folder_is_named_by_its_format",
    "I18": "odd_inputs_images:bombs_are_refused_before_memory_is_taken odd_inputs_images:the_limit_can_be_set "
           "numpy_decoder:sizes_that_are_not_there_take_no_memory",
    "I19": "codecs_more:pixels_are_exact codecs_more:tiff_names_the_tag",
    "I21": "odd_inputs_images:extreme_sizes_in_every_format odd_inputs_calls:sizes_that_cannot_be_meant_name_the_argument "
           "odd_inputs_images:a_crop_larger_than_the_picture_is_padded_or_an_error_as_it_says",
    "I22": "odd_inputs_images:a_checkerboard_of_one_pixel_keeps_its_range_and_mean",
    "N01": "numpy_decoder:shapes_and_orders readers_numpy:every_type_and_order odd_inputs_arrays:views_keep_their_values",
    "N02": "odd_inputs_arrays:big_endian_values_are_right_every_way readers_numpy:every_type_and_order "
           "odd_inputs_arrays:scalars_of_any_byte_order_as_values_and_arguments",
    "N03": "numpy_decoder:other_types_are_refused_by_name numpy_decoder:nothing_is_unpickled "
           "odd_inputs_arrays:types_outside_the_set_are_refused_by_name readers_numpy:types_that_are_refused_by_name",
    "N04": "numpy_decoder:versions numpy_decoder:long_header_of_version_2 numpy_decoder:field_names_in_utf8",
    "N06": "odd_inputs_arrays:views_keep_their_values odd_inputs_arrays:read_only_memory_is_never_written",
    "N08": "odd_inputs_arrays:numbers_that_cannot_be_are_refused odd_inputs_arrays:the_place_in_unequal_lists_is_named",
    "T01": "readers_webdataset:every_way_to_write_a_name_gives_the_same readers_webdataset:pax_words",
    "T02": "readers_webdataset:missing_components",
    "T05": "readers_webdataset:ends_prefixes_and_dots readers_webdataset:damage",
    "R01": "readers_tfrecord:flipped_bits",
    "R02": "readers_tfrecord:what_is_missing readers_tfrecord:other_types_and_numbers",
    "L01": "odd_inputs_lists:lists_that_are_read odd_inputs_lists:lists_that_are_refused_say_the_line "
           "odd_inputs_lists:a_missing_file_is_named_at_the_start",
    "L03": "odd_inputs_lists:classes_are_folders_by_the_bytes_of_their_names "
           "odd_inputs_lists:nested_folders_by_option_and_loops_end",
    "P01": "odd_inputs_loops:lengths_and_what_comes",
    "P03": "odd_inputs_loops:fork_after_a_reader_and_operators_20_times process:fork_in_the_middle_of_work",
    "P04": "odd_inputs_loops:leaving_at_a_random_step",
    "P06": "soak:memory_stays_flat",
    "P07": "odd_inputs_loops:the_order_is_that_of_the_seed_on_any_number_of_threads "
           "odd_inputs_loops:every_place_is_as_likely_and_classes_do_not_clump",
    "empty folder": "odd_inputs_lists:empty_folders_are_named",
    "folder that goes": "odd_inputs_lists:a_folder_that_goes_while_it_is_read",
    "large batch": "odd_inputs_loops:a_batch_larger_than_the_data_set",
    "one pixel": "odd_inputs_calls:a_picture_of_one_pixel",
    "NaN and infinity": "odd_inputs_calls:to_integers_they_are_clamped_and_nan_is_zero",
    "division by zero": "odd_inputs_calls:integer_division_by_zero_is_an_error_that_says_where",
    "list(tensor)": "odd_inputs_calls:list_of_a_tensor_ends",
    "misspelt": "odd_inputs_calls:a_misspelt_operator_is_answered_with_the_right_one "
                "odd_inputs_calls:a_misspelt_argument_is_answered_with_the_right_one",
    "a tenth broken": "odd_inputs_loops:a_random_tenth_of_broken_files_is_skipped",
}


@pytest.mark.parametrize("row", ROWS)
def test_a_row_has_its_tests(row):
    for each in ROWS[row].split():
        file, name = each.split(":")
        text = (HERE / f"test_{file}.py").read_text(encoding="utf-8")
        assert re.search(rf"^def test_{name}\(", text, re.M), each
