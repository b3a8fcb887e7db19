package io.volute.server.cluster.placing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The cubes of a store in groups with one owner: cubes that have keys of one bucket are in one
 * group. Immutable.
 */
final class CubeGroups {
    private final Map<String, Set<String>> groups = new LinkedHashMap<>();

    /**
     * @param cubes names of all cubes
     * @param divided names of the cubes of each divided bucket
     */
    CubeGroups(List<String> cubes, Collection<List<String>> divided) {
        cubes.forEach(cube -> groups.put(cube, new TreeSet<>(Set.of(cube))));
        for (List<String> parts : divided) {
            Set<String> joined = new TreeSet<>();
            parts.forEach(cube -> joined.addAll(groups.getOrDefault(cube, Set.of())));
            joined.forEach(cube -> groups.put(cube, joined));
        }
    }

    /** Returns the group of a cube, by name. */
    Set<String> of(String cube) {
        return Collections.unmodifiableSet(groups.getOrDefault(cube, Set.of(cube)));
    }

    /** Returns all groups, in the order of their first cubes. */
    List<Set<String>> all() {
        List<Set<String>> all = new ArrayList<>();
        for (Set<String> group : groups.values()) {
            if (!all.contains(group)) {
                all.add(Collections.unmodifiableSet(group));
            }
        }
        return all;
    }
}
