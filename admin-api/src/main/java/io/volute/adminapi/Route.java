package io.volute.adminapi;

/**
 * A route of the admin API. A GET has the fields of its request in the query; the other methods
 * have them in a JSON object as their body.
 *
 * @param <Q> the request
 * @param <A> the answer
 */
public record Route<Q extends Record, A>(
        String method, String path, Class<Q> request, Class<A> answer) {
    /** The request of a route without arguments. */
    public record Nothing() {}

    /** Returns whether its arguments are in the query. */
    public boolean isGet() {
        return method.equals("GET");
    }
}
