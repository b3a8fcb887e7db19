package io.volute.server.auth.policy;

/** What a statement does. */
enum Effect {
    ALLOW,
    DENY
}
