package io.volute.adminapi;

/**
 * The answer to a request that was refused or failed.
 *
 * @param code a name such as {@code NoSuchBucket}
 * @param message what happened, and what to do
 * @param requestId its id in the server's logs
 */
public record Failure(String code, String message, String requestId) {}
