package io.volute.adminapi;

import io.volute.adminapi.ClusterApi.MissingOwner;
import java.util.List;
import java.util.stream.Stream;

/**
 * An answer about the whole store, of which each owner in a cluster has a part. The owner of the
 * store merges the parts; a server alone has all of it.
 *
 * @param <A> the answer itself
 */
public interface OwnersAnswer<A extends OwnersAnswer<A>> {
    /** The meaning of the field {@link #missing}. */
    String MISSING = "Owners of other cubes whose part is missing; absent if none is";

    /** Returns the owners whose parts the answer does not have; empty for a whole answer. */
    List<MissingOwner> missing();

    /**
     * Returns this answer with the part of another owner.
     *
     * @param node its name
     */
    A with(String node, A part);

    /** Returns this answer without the parts of these owners besides those missing so far. */
    A without(List<MissingOwner> owners);

    /** Returns the members of both lists. */
    static <T> List<T> both(List<T> one, List<? extends T> other) {
        return Stream.<T>concat(one.stream(), other.stream()).toList();
    }
}
