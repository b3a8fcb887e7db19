package io.volute.versioning.causality;

/**
 * The key that all requests of one actor share.
 *
 * @param name name of the session, or the name that the client chose, or its address and user agent
 */
public record ActorKey(String accessKey, String name) {}
