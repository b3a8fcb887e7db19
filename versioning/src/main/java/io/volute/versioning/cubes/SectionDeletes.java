package io.volute.versioning.cubes;

import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Deletes versions of a bucket that may be divided over cubes. Thread-safe. */
record SectionDeletes(CubeRouting routing, Caller caller, BucketRef bucket) {
    /** Deletes versions, with one call for each cube; returns the outcomes in their order. */
    List<DeleteOutcome> deleteAll(List<DeleteTarget> targets) throws IOException {
        DeleteOutcome[] outcomes = new DeleteOutcome[targets.size()];
        // When keys move meanwhile, those that are left are divided anew.
        List<Integer> left = new ArrayList<>();
        for (int i = 0; i < outcomes.length; i++) {
            left.add(i);
        }
        boolean unused =
                routing.attempt(
                        bucket,
                        row -> {
                            for (List<Integer> group : groups(row, targets, left)) {
                                List<DeleteTarget> together =
                                        group.stream().map(targets::get).toList();
                                CubeSlot slot = routing.slot(row, together.getFirst().key());
                                List<DeleteOutcome> done =
                                        slot.call(each -> each.deleteAll(caller, bucket, together));
                                for (int i = 0; i < done.size(); i++) {
                                    outcomes[group.get(i)] = done.get(i);
                                }
                                left.removeAll(group);
                            }
                            return true;
                        });
        return Arrays.asList(outcomes);
    }

    private static List<List<Integer>> groups(
            PlacementRow row, List<DeleteTarget> targets, List<Integer> some) {
        Map<Integer, List<Integer>> groups = new TreeMap<>();
        for (int i : some) {
            int cube = row.section(targets.get(i).key()).cube();
            groups.computeIfAbsent(cube, none -> new ArrayList<>()).add(i);
        }
        return List.copyOf(groups.values());
    }
}
