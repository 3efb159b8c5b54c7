"""Two records side by side."""

from __future__ import annotations

from data.modelzoo.comparing import Difference, Shared, diff, shared_results
from data.modelzoo.reading import zoo
from tests.data.modelzoo.records import record


def test_a_record_does_not_differ_from_itself() -> None:
    assert [diff(each, each) for each in zoo().records[:20]] == [()] * 20


def test_differences_come_in_the_order_of_the_schema_and_unknown_is_none() -> None:
    left, right = record(num_parameters=None), record(model_name="Big", backbone="ViT-L")
    assert diff(left, right) == (
        Difference("model_name", "Tiny", "Big"),
        Difference("backbone", None, "ViT-L"),
        Difference("num_parameters", None, 5.6),
    )


def test_results_are_shared_on_one_data_set_by_one_metric_with_one_share_of_labels() -> None:
    def results(*rows: tuple[str, str, float, float | None]) -> dict[str, list[dict[str, object]]]:
        return {
            "benchmarks": [
                {"dataset": name, "metrics": [metric], "metrics_value": [value], "sampling_percentage": part}
                for name, metric, value, part in rows
            ]
        }

    left = record(**results(("A", "mIoU", 70, None), ("A", "mIoU", 72, None), ("B", "F1", 50, 10)))
    right = record(**results(("A", "mIoU", 60, None), ("A", "F1", 99, None), ("B", "F1", 40, 50)))
    assert shared_results(left, right) == (Shared("A", "mIoU", None, 72, 60),)
