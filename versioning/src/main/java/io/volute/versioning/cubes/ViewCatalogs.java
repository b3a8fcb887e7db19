package io.volute.versioning.cubes;

import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.CubeViews;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.event.Federation.Member;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.KeyRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The catalogs over views of the cubes that other nodes have. The newest catalog of each cube is
 * kept, and shared by the calls that use the same view. Thread-safe.
 */
final class ViewCatalogs {
    private final CubeViews views;
    private final Opening opening;

    /** The newest catalog of each cube, by the number of the cube. */
    private final Map<Integer, Newest> newest = new ConcurrentHashMap<>();

    /** Opens the catalogs. */
    public interface Opening {
        /** Returns the ranges of keys that a cube has of divided buckets now. */
        Map<BucketName, KeyRange> ranges(int number);

        /** Opens the catalog over a view, which has these ranges. It commits nothing. */
        Catalog open(int number, Cube view, Map<BucketName, KeyRange> ranges) throws IOException;
    }

    public ViewCatalogs(CubeViews views, Opening opening) {
        this.views = views;
        this.opening = opening;
    }

    /** A call of a catalog. */
    @FunctionalInterface
    public interface Call<T> {
        T on(Catalog catalog) throws IOException;
    }

    /**
     * Returns the cubes of other nodes as members of the store, for one request. They have every
     * commit that was acknowledged before this call. Reads of clients that their owners have not
     * written yet are missing.
     *
     * @param elsewhere returns their names by number, when the list of cubes is new enough
     */
    public List<Member> members(Supplier<Map<Integer, String>> elsewhere) {
        if (elsewhere.get().isEmpty()) {
            return List.of();
        }
        Reading reading = begin();
        try {
            reading.awaitSystem();
        } catch (CubeUnavailableException e) {
            throw new UncheckedIOException(e);
        }
        return elsewhere.get().entrySet().stream()
                .map(each -> reading.member(each.getKey(), each.getValue()))
                .toList();
    }

    /** Begins to read: each call sees every commit that was acknowledged before this. */
    public Reading begin() {
        return new Reading(views.begin());
    }

    /** The newest catalog of one cube. */
    private final class Newest {
        private final int number;
        private Optional<Opened> opened = Optional.empty();

        Newest(int number) {
            this.number = number;
        }

        /** Returns the catalog over a view. Others that need it wait while it is opened. */
        synchronized Catalog over(Cube view) throws IOException {
            Map<BucketName, KeyRange> ranges = opening.ranges(number);
            if (opened.filter(last -> last.is(view, ranges)).isEmpty()) {
                opened = Optional.of(new Opened(view, ranges, opening.open(number, view, ranges)));
            }
            return opened.get().catalog();
        }
    }

    /** A catalog with what it was opened over. It has nothing to close. */
    private record Opened(Cube view, Map<BucketName, KeyRange> ranges, Catalog catalog) {
        @SuppressWarnings("ReferenceEquality") // The same view, not one that has the same rows.
        boolean is(Cube other, Map<BucketName, KeyRange> now) {
            return view == other && ranges.equals(now);
        }
    }

    /** Calls of catalogs over views that are new enough. Thread-safe. */
    public final class Reading {
        private volatile CubeViews.Reading reading;

        private Reading(CubeViews.Reading reading) {
            this.reading = reading;
        }

        /** Begins again: later calls see every commit that was acknowledged before this. */
        public void renew() {
            reading = views.begin();
        }

        /** See {@link CubeViews.Reading#awaitSystem}. */
        public void awaitSystem() throws CubeUnavailableException {
            reading.awaitSystem();
        }

        /** Returns a cube of another node as a member of the store, for one request. */
        private Member member(int number, String cube) {
            return new Member(
                    number,
                    new ViewedCube(cube, reading),
                    () -> {},
                    () -> unchecked(number, cube, each -> each.buckets().namesById()),
                    (bucket, key, version) ->
                            unchecked(
                                    number,
                                    cube,
                                    each -> each.history().find(bucket, key, version)));
        }

        private <T> T unchecked(int number, String cube, Call<T> call) {
            try {
                return call(number, cube, call);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /**
         * Calls the catalog over a view. What the call returns must not read the cube later, except
         * by a reader of a blob.
         *
         * @throws CubeUnavailableException NOT_OPEN, with the name of the cube, when it cannot be
         *     read now
         */
        public <T> T call(int number, String cube, Call<T> call) throws IOException {
            try (CubeViews.View view = reading.view(cube)) {
                return call.on(newest.computeIfAbsent(number, Newest::new).over(view.cube()));
            } catch (CubeUnavailableException e) {
                throw e.in(cube);
            }
        }
    }
}
