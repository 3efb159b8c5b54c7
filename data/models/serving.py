"""Models kept in memory, one copy a process however many ask: least recently used out, batches gathered.

Each model has a thread of its own. While it computes, what others ask of it waits, and goes through together
as the next batch: sessions that look for ships at the same time share the model and the batch.
"""

from __future__ import annotations

import os
import queue
import threading
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from data.models.registry import Model
from data.models.runners import Runner, load

if TYPE_CHECKING:
    from numpy.typing import NDArray

MEMORY_VARIABLE = "AZIMUTH_MODEL_MEMORY_MB"
"""How much memory the loaded models may hold together, about; 1024 when it is unset."""

Arrays = tuple["NDArray[np.float32]", ...]


@dataclass
class _Request:
    batch: NDArray[np.float32]
    answer: Future[Arrays]


class Served:
    """One model in memory, and the thread that runs it."""

    def __init__(self, model: Model, runner: Runner) -> None:
        self.model = model
        self.runner = runner
        self.batches = 0
        """How many batches went through; with `windows` it tells how well they were gathered."""
        self.windows = 0
        self._waiting: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._put_off: _Request | None = None
        self._lock = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=self._work, name=f"model-{model.name}", daemon=True)
        self._thread.start()

    def submit(self, batch: NDArray[np.float32]) -> Future[Arrays]:
        """Have windows (n, bands, rows, columns) run; the future's arrays hold n each, in that order."""
        answer: Future[Arrays] = Future()
        with self._lock:
            if not self._stopped:
                self._waiting.put(_Request(batch, answer))
                return answer
        try:  # it was let go to make room while a scene was half done: the rest is run here
            answer.set_result(self.runner(batch))
        except Exception as error:
            answer.set_exception(error)
        return answer

    def run(self, batch: NDArray[np.float32]) -> Arrays:
        """As `submit`, waited for. Raises RasterError as the runner does."""
        return self.submit(batch).result()

    def stop(self) -> None:
        """Let the thread end when it has answered what came before."""
        with self._lock:
            self._stopped = True
            self._waiting.put(None)

    def _work(self) -> None:
        while (gathered := self._gathered()) is not None:
            try:
                batches = [each.batch for each in gathered]
                whole = batches[0] if len(batches) == 1 else np.concatenate(batches)
                found = self.runner(whole)
                self.batches += 1
                self.windows += len(whole)
                at = 0
                for each in gathered:
                    end = at + len(each.batch)
                    each.answer.set_result(tuple(array[at:end] for array in found))
                    at = end
            except BaseException as error:
                for each in gathered:
                    if not each.answer.done():
                        each.answer.set_exception(error)

    def _gathered(self) -> list[_Request] | None:
        """The next request, and those of its shape that wait already, up to the card's batch."""
        first = self._put_off or self._waiting.get()
        self._put_off = None
        if first is None:
            return None
        gathered, count = [first], len(first.batch)
        most = max(self.model.card.input.batch, count)
        while count < most:
            try:
                more = self._waiting.get_nowait()
            except queue.Empty:
                break
            if more is None:
                self._waiting.put(None)
                break
            if more.batch.shape[1:] != first.batch.shape[1:] or count + len(more.batch) > most:
                self._put_off = more
                break
            gathered.append(more)
            count += len(more.batch)
        return gathered


class Serving:
    """The models of this process, those used last kept as long as they fit the memory."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._loading: dict[tuple[str, ...], threading.Lock] = {}
        self._served: OrderedDict[tuple[str, ...], Served] = OrderedDict()

    def served(self, model: Model) -> Served:
        """The model in memory, loaded if it was not. Raises RasterError for one that cannot be."""
        key = _key(model)
        with self._lock:
            if key in self._served:
                self._served.move_to_end(key)
                return self._served[key]
            loading = self._loading.setdefault(key, threading.Lock())
        with loading:  # the second who asks waits for the first, not for every model
            with self._lock:
                if key in self._served:
                    return self._served[key]
            found = Served(model, load(model))
            with self._lock:
                self._served[key] = found
                self._loading.pop(key, None)
                self._make_room(key)
            return found

    def loaded(self) -> tuple[Served, ...]:
        """The models in memory, the one used last at the end."""
        with self._lock:
            return tuple(self._served.values())

    def clear(self) -> None:
        """Let every model go."""
        with self._lock:
            for each in self._served.values():
                each.stop()
            self._served.clear()

    def _make_room(self, newest: tuple[str, ...]) -> None:
        held = sum(each.runner.size_bytes for each in self._served.values())
        for key in list(self._served):
            if held <= self._most_bytes or key == newest:
                return
            gone = self._served.pop(key)
            held -= gone.runner.size_bytes
            gone.stop()


@cache
def serving() -> Serving:
    """The one of this process."""
    said = os.environ.get(MEMORY_VARIABLE, "").strip()
    return Serving((int(said) if said.isdecimal() and int(said) > 0 else 1024) * 1024**2)


def served(model: Model) -> Served:
    """The model in this process's memory. Raises RasterError for one that cannot be loaded."""
    return serving().served(model)


def _key(model: Model) -> tuple[str, ...]:
    """What makes a model another: its file, and what stands in it by date and size."""
    if model.weights is None or not model.weights.exists():
        return (model.name,)
    state = model.weights.stat()
    return (model.name, str(model.weights), str(state.st_mtime_ns), str(state.st_size))
