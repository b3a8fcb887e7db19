package io.volute.server.cluster.placing;

import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.CubeInfo;
import io.volute.versioning.StoreCubes.Move;
import io.volute.versioning.StoreCubes.Part;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The cubes of the store, at its owner. Thread-safe. */
public interface OwnedCubes {
    /** Returns the names of all cubes, by number. */
    List<String> names();

    /** Returns the names of the cubes of each divided bucket. */
    Map<BucketName, List<String>> divided();

    /** Returns the moves of buckets between cubes. */
    List<Move> moves();

    /** Returns the sequence of the last commit of the system cube. */
    long lastSequence();

    /** Closes a cube, as {@link StoreCubes#release} does. */
    void release(String cube) throws IOException;

    /** Returns the phases of all cubes besides the system cube, at the store. */
    Map<String, Phase> phases();

    /** Returns the cubes of an open store. */
    static OwnedCubes of(StoreCubes all) {
        return new OwnedCubes() {
            @Override
            public List<String> names() {
                return all.list().stream().map(CubeInfo::name).toList();
            }

            @Override
            public Map<BucketName, List<String>> divided() {
                Map<BucketName, List<String>> divided = new TreeMap<>();
                for (BucketName bucket : all.moves().divided()) {
                    divided.put(
                            bucket, all.moves().parts(bucket).stream().map(Part::cube).toList());
                }
                return divided;
            }

            @Override
            public List<Move> moves() {
                return all.moves().list();
            }

            @Override
            public long lastSequence() {
                return all.opened().getFirst().cube().lastSequence();
            }

            @Override
            public void release(String cube) throws IOException {
                // From now on, other owners ask for the reads of clients.
                all.reads().setShared(true);
                all.release(cube);
            }

            @Override
            public Map<String, Phase> phases() {
                Map<String, Phase> phases = new TreeMap<>();
                all.list().forEach(each -> phases.put(each.name(), each.phase()));
                phases.remove(StoreCubes.SYSTEM);
                return phases;
            }
        };
    }
}
