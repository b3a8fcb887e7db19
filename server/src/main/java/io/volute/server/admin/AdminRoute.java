package io.volute.server.admin;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What can be asked, by method and path. */
enum AdminRoute {
    SPACE("GET", "/_volute/v1/space"),
    CLEAN("POST", "/_volute/v1/clean"),
    START_CHECK("POST", "/_volute/v1/check"),
    CHECK("GET", "/_volute/v1/check");

    private final String method;
    private final String path;

    AdminRoute(String method, String path) {
        this.method = method;
        this.path = path;
    }

    String method() {
        return method;
    }

    String path() {
        return path;
    }

    static Optional<AdminRoute> of(String method, String path) {
        return Arrays.stream(values())
                .filter(route -> route.path.equals(path) && route.method.equals(method))
                .findFirst();
    }

    /** The methods of a path; none when there is no such path. */
    static List<String> methods(String path) {
        return Arrays.stream(values())
                .filter(route -> route.path.equals(path))
                .map(AdminRoute::method)
                .toList();
    }
}
