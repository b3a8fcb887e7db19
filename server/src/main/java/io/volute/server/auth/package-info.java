/** Authentication of callers, and authorization of their requests. */
package io.volute.server.auth;
