package io.volute.benchmarks.http;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Questions to the admin API of a server, docs/reference/admin-api.md. */
public final class AdminApi {
    private AdminApi() {}

    /**
     * Asks, and returns the JSON that is answered.
     *
     * @param route behind the API's version
     * @throws IOException when the server does not accept it; has what it said
     */
    public static byte[] ask(SignedConnection connection, String method, String route, byte[] body)
            throws IOException {
        connection.path().clear().put("/_volute/v1/").put(route);
        connection.query().clear();
        int status = connection.send(method, ByteBuffer.wrap(body));
        if (status / 100 != 2) {
            throw new IOException(route + ": status " + status + ", " + connection.contentText());
        }
        return connection.contentBytes();
    }
}
