"""One claim by itself: in another process, stopped between seeds, with runs that others made."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from twin.claims import PDD, SAME_DC
from twin.reproduction.compute import SEEDS, compute, compute_all
from twin.reproduction.results import ClaimResult
from twin.reproduction.tasks import Cache, Task, carry_out


def test_one_claim_alone_says_what_it_says_among_all(
    computed: dict[str, ClaimResult], cache: Cache
):
    alone = compute("C17", SEEDS)
    assert alone.model_copy(update={"cpu_s": 0}) == computed["C17"].model_copy(update={"cpu_s": 0})


def test_it_can_be_asked_of_another_process(computed: dict[str, ClaimResult]):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = pool.submit(compute, "C14", (0,)).result()
    assert found.figures[0].values == computed["C14"].figures[0].values[:1]
    assert pickle.loads(pickle.dumps(found)) == found


class Stopped(Exception):
    pass


def test_it_can_be_stopped_between_seeds_and_taken_up_again():
    cache, told = Cache(), []

    def until_two(done: int, total: int) -> None:
        told.append((done, total))
        if done == 2:
            raise Stopped

    with pytest.raises(Stopped):
        compute("C14", SEEDS, until_two, cache)
    assert told == [(0, 6), (1, 6), (2, 6)]
    assert {task.seed for task in cache.answers} == {0, 1}
    assert compute("C14", (0, 1), cache=cache).seeds == (0, 1)
    assert len(cache.answers) == 2


def test_claims_share_their_runs(computed: dict[str, ClaimResult], cache: Cache):
    before = dict(cache.answers)
    assert compute("C02", SEEDS, cache=cache) == computed["C02"]
    assert compute_all(["C08", "C01"], cache=cache) == [computed["C08"], computed["C01"]]
    assert cache.answers == before
    kinds = {(task.kind, task.case) for task in before}
    assert ("run", SAME_DC) not in kinds  # the search of the capacity has it
    assert ("run", PDD) not in kinds
    assert cache.answer(Task("run", PDD, 0)).found.seed == 0


def test_the_run_of_a_search_is_the_run_itself(computed: dict[str, ClaimResult], cache: Cache):
    task = Task("run", SAME_DC, 3)
    _, itself = carry_out(task)
    searched = cache.answer(task).found
    assert searched.model_copy(update={"cpu_s": None}) == itself.found.model_copy(
        update={"cpu_s": None}
    )


def test_what_is_no_claim():
    with pytest.raises(KeyError):
        compute("C25")


def test_arithmetic_needs_no_work():
    told = []
    found = compute("C11", progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 0)]
    assert (found.state, found.seeds, found.cpu_s) == ("in", (), 0)
