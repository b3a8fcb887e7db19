package io.volute.adminapi;

import java.util.Optional;

/**
 * A route of the admin API. A GET has the fields of its request in the query; the other methods
 * have them in a JSON object as their body. {@code docs/reference/admin-api.md} and the paths of
 * {@code docs/reference/openapi.yaml} are rendered from the routes and their records.
 *
 * @param <Q> the request
 * @param <A> the answer; Void for bytes, which are no JSON
 * @param name the action in policies, without {@code volute:}; stored policies use it
 * @param method the HTTP method
 * @param path the whole path
 * @param does the effect, as a sentence without its subject
 * @param details rules and refusals of the route; empty if there are none
 * @param isAccepted whether the work goes on after the answer, which has status 202
 * @param isInOneCube whether the route works in one cube alone, if a request names that cube, a
 *     bucket in it or a restore of it
 */
public record Route<Q extends Record, A>(
        String name,
        String method,
        String path,
        Class<Q> request,
        Class<A> answer,
        String does,
        Optional<String> details,
        boolean isAccepted,
        boolean isInOneCube) {
    private static final String PREFIX = "/_volute/v1";
    private static final String GET = "GET";

    /** The request of a route without arguments. */
    public record Nothing() {}

    /** Creates a route that changes nothing. */
    static <Q extends Record, A> Route<Q, A> get(
            String name, String path, Class<Q> request, Class<A> answer, String does) {
        return of(GET, name, path, request, answer, does);
    }

    /** Creates a route that changes the store or starts work. */
    static <Q extends Record, A> Route<Q, A> post(
            String name, String path, Class<Q> request, Class<A> answer, String does) {
        return of("POST", name, path, request, answer, does);
    }

    /** Creates a route that sets a value. */
    static <Q extends Record, A> Route<Q, A> put(
            String name, String path, Class<Q> request, Class<A> answer, String does) {
        return of("PUT", name, path, request, answer, does);
    }

    private static <Q extends Record, A> Route<Q, A> of(
            String method,
            String name,
            String path,
            Class<Q> request,
            Class<A> answer,
            String does) {
        return new Route<>(
                name, method, PREFIX + path, request, answer, does, Optional.empty(), false, false);
    }

    /** Returns the route with rules and refusals of its own. */
    Route<Q, A> details(String text) {
        return new Route<>(
                name,
                method,
                path,
                request,
                answer,
                does,
                Optional.of(text),
                isAccepted,
                isInOneCube);
    }

    /** Returns the route whose work goes on after the answer. */
    Route<Q, A> accepted() {
        return new Route<>(name, method, path, request, answer, does, details, true, isInOneCube);
    }

    /** Returns the route that works in the named cube alone. */
    Route<Q, A> inOneCube() {
        return new Route<>(name, method, path, request, answer, does, details, isAccepted, true);
    }

    /** Returns whether its arguments are in the query. */
    public boolean isGet() {
        return method.equals(GET);
    }

    /** Returns whether each owner in a cluster has a part of the answer. */
    public boolean isOfAllOwners() {
        return OwnersAnswer.class.isAssignableFrom(answer);
    }

    /** Returns the status of a successful answer. */
    public int status() {
        return isAccepted ? 202 : 200;
    }
}
