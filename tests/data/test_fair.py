"""Sessions are served in turn, whoever asks more."""

from __future__ import annotations

from data.fair import FairQueue


def served(queue: FairQueue, waiting: list[tuple[str, str]]) -> list[str]:
    """The tickets in the order in which one slot serves them."""
    order = []
    while waiting:
        mine = next(each for each in waiting if queue.turn(*each, slots=1, wait_s=0))
        order.append(mine[1])
        queue.leave(*mine)
        waiting.remove(mine)
    return order


def test_sessions_are_served_in_turn_whichever_asks_more() -> None:
    queue = FairQueue()
    waiting = [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1"), ("b", "b2")]
    for each in waiting:
        queue.enter(*each)
    assert [queue.place(ticket) for _, ticket in waiting] == [0, 3, 5, 1, 2, 4]
    assert served(queue, waiting) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_a_session_that_comes_later_is_served_before_the_second_job_of_one_that_was_served() -> None:
    queue = FairQueue()
    for ticket in ("a1", "a2", "a3"):
        queue.enter("a", ticket)
    assert queue.turn("a", "a1", slots=1, wait_s=0)
    queue.enter("b", "b1")
    assert not queue.turn("b", "b1", slots=1, wait_s=0)
    queue.leave("a", "a1")
    assert served(queue, [("a", "a2"), ("a", "a3"), ("b", "b1")]) == ["b1", "a2", "a3"]


def test_as_many_run_at_once_as_there_are_slots() -> None:
    queue = FairQueue()
    for number in range(3):
        queue.enter("a", str(number))
    assert [queue.turn("a", str(number), slots=2, wait_s=0) for number in range(3)] == [True, True, False]


def test_whoever_leaves_the_queue_holds_nobody_up() -> None:
    queue = FairQueue()
    for ticket in ("a1", "b1"):
        queue.enter(ticket[0], ticket)
    queue.leave("a", "a1")
    assert (queue.place("b1"), queue.turn("b", "b1", slots=1, wait_s=0)) == (0, True)


def test_of_one_session_no_more_than_so_many_run_at_once() -> None:
    queue = FairQueue(most_each=1)
    for each in (("a", "a1"), ("a", "a2"), ("b", "b1")):
        queue.enter(*each)
    assert queue.turn("a", "a1", slots=3, wait_s=0)
    assert not queue.turn("a", "a2", slots=3, wait_s=0)
    assert queue.turn("b", "b1", slots=3, wait_s=0)
    queue.leave("a", "a1")
    assert queue.turn("a", "a2", slots=3, wait_s=0)


def test_what_steps_aside_gives_its_place_to_the_next() -> None:
    queue = FairQueue()
    for each in (("a", "a1"), ("b", "b1"), ("c", "c1")):
        queue.enter(*each)
    assert queue.turn("a", "a1", slots=1, wait_s=0) and not queue.turn("b", "b1", slots=1, wait_s=0)
    assert queue.step_aside("a1", most=1) and queue.turn("b", "b1", slots=1, wait_s=0)
    assert not queue.step_aside("b1", most=1) and not queue.turn("c", "c1", slots=1, wait_s=0)
    queue.leave("a", "a1")
    assert queue.step_aside("b1", most=1) and queue.turn("c", "c1", slots=1, wait_s=0)
