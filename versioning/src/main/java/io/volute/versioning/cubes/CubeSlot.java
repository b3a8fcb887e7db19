package io.volute.versioning.cubes;

import static io.volute.versioning.rows.Families.CUBES;

import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.CubeInfo;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A cube in the list of cubes, whether it is open or not. Thread-safe. */
final class CubeSlot {
    private static final String IS_ELSEWHERE = " is on another node of the cluster";

    private final int number;
    private final CubeRow row;
    private volatile State state = new State(Phase.OPENING, Optional.empty(), "");

    /** An open cube with its catalog. */
    record Open(Cube cube, Catalog catalog) {}

    private record State(Phase phase, Optional<Open> open, String why) {}

    CubeSlot(int number, CubeRow row) {
        this.number = number;
        this.row = row;
    }

    /** Returns the cubes in the list besides the system cube, also the deleted ones, by number. */
    static List<CubeSlot> all(RecordStore system) {
        List<CubeSlot> all = new ArrayList<>();
        try (RecordCursor cursor = system.scan(CUBES, new byte[0], new byte[0])) {
            while (cursor.next()) {
                int number = (int) RowKeys.lastNumber(cursor.key());
                all.add(new CubeSlot(number, CubeRow.decode(cursor.record().summary())));
            }
        }
        return all;
    }

    int number() {
        return number;
    }

    String name() {
        return row.name();
    }

    CubeRow row() {
        return row;
    }

    Phase phase() {
        return state.phase();
    }

    Optional<Open> open() {
        return state.open();
    }

    Optional<StoreCubes.Opened> opened() {
        return open().map(
                        open -> new StoreCubes.Opened(name(), number, open.cube(), open.catalog()));
    }

    void opening() {
        state = new State(Phase.OPENING, Optional.empty(), "");
    }

    void opened(Open open) {
        state = new State(Phase.OPEN, Optional.of(open), "");
    }

    void failed(String why) {
        state = new State(Phase.FAILED, Optional.empty(), why);
    }

    void closed() {
        state = new State(Phase.CLOSED, Optional.empty(), "");
    }

    void elsewhere() {
        state = new State(Phase.ELSEWHERE, Optional.empty(), "");
    }

    /**
     * Refuses a change that needs the cube in this process.
     *
     * @throws io.volute.versioning.StoreException INVALID_ARGUMENT for a cube of another node
     */
    void requireHere() {
        if (phase() == Phase.ELSEWHERE) {
            throw CubeRegistry.refused(
                    "cube " + name() + IS_ELSEWHERE + ": bring it to this node first");
        }
    }

    /** Returns whether the cube takes writes. */
    boolean isWritable() {
        return open().filter(open -> open.cube().state() == CubeState.HEALTHY).isPresent();
    }

    /**
     * Returns the catalog of the cube, which this server alone serves.
     *
     * @throws CubeUnavailableException NOT_OPEN or CLOSED, with the name of the cube
     */
    Catalog catalog() throws CubeUnavailableException {
        State now = state;
        if (now.open().isEmpty()) {
            throw unavailable(now);
        }
        Open open = now.open().get();
        try {
            open.cube().requireServing();
        } catch (CubeUnavailableException e) {
            throw named(e);
        }
        return open.catalog();
    }

    private CubeUnavailableException unavailable(State now) {
        String what =
                switch (now.phase()) {
                    case OPENING -> " is in recovery";
                    case FAILED -> " could not be opened: " + now.why();
                    case OPEN, CLOSED -> " is closed";
                    case ELSEWHERE -> IS_ELSEWHERE;
                };
        return new CubeUnavailableException(Reason.NOT_OPEN, "cube " + name() + what).in(name());
    }

    /** A call of the catalog of a cube. */
    @FunctionalInterface
    interface Call<T> {
        T on(Catalog catalog) throws IOException;
    }

    /** Work that is done while something does not change. */
    @FunctionalInterface
    interface Task<T> {
        T run() throws IOException;
    }

    /** Calls the catalog. A refusal of the cube names it. */
    <T> T call(Call<T> call) throws IOException {
        try {
            return call.on(catalog());
        } catch (CubeUnavailableException e) {
            throw named(e);
        }
    }

    /** Returns the refusal with the name of this cube. */
    CubeUnavailableException named(CubeUnavailableException e) {
        return e.in(name());
    }

    CubeInfo info(long buckets) {
        State now = state;
        return new CubeInfo(
                name(),
                number,
                row.id(),
                row.created(),
                now.phase(),
                now.open().map(open -> open.cube().state()),
                now.why(),
                buckets);
    }
}
