package io.volute.server.auth.policy;

/** The effect of a statement that applies to a request. */
enum Effect {
    ALLOW,
    DENY
}
