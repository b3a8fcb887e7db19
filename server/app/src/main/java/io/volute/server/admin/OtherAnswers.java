package io.volute.server.admin;

import io.volute.adminapi.ClusterApi.MissingOwner;
import io.volute.adminapi.Route;
import io.volute.versioning.value.Caller;
import java.util.List;

/** The answers of the other owners of a cluster to requests about the whole store. Thread-safe. */
@FunctionalInterface
public interface OtherAnswers {
    /** Those of a server that has all cubes. */
    OtherAnswers NONE = (route, caller, arguments) -> List.of();

    /** The part of one owner. */
    sealed interface Part {
        /**
         * The part that an owner has sent.
         *
         * @param json the answer of the route
         */
        record Given(String node, List<String> cubes, byte[] json) implements Part {}

        /** An owner that has sent none. */
        record Missing(MissingOwner owner) implements Part {}
    }

    /**
     * Asks the other owners of cubes. The caller must have the right to the request. It waits a
     * bounded time, after which the parts of the slow ones are missing.
     *
     * @param route one of all owners
     * @param arguments of the request, as a JSON object
     */
    List<Part> ask(Route<?, ?> route, Caller caller, byte[] arguments);
}
