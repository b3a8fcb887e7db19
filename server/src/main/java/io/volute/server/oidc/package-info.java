/** Tokens of an OpenID Connect provider: their check, and the keys of the provider. */
package io.volute.server.oidc;
