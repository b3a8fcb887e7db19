package io.volute.server.http.message;

/**
 * Why a request is refused before it reaches the protocol.
 *
 * @param status of HTTP
 * @param code of S3
 * @param message for the client; names nothing internal
 */
public record Refusal(int status, String code, String message) {

    static Refusal malformed(String message) {
        return new Refusal(400, "BadRequest", message);
    }

    static Refusal pipelined() {
        return malformed(
                "Pipelining is not supported: send a request after the previous response.");
    }

    public static Refusal busy() {
        return new Refusal(503, "SlowDown", "Please reduce your request rate.");
    }

    public static Refusal timeout() {
        return new Refusal(
                408,
                "RequestTimeout",
                "The request was not received completely within the timeout period.");
    }

    public static Refusal internal() {
        return new Refusal(
                500, "InternalError", "We encountered an internal error. Please try again.");
    }
}
