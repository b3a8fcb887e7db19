/**
 * Users, access keys, groups, roles and policies that the server keeps, and the temporary
 * credentials of their sessions. What they may do is decided in {@link
 * io.volute.server.auth.policy}.
 */
package io.volute.server.identity;
