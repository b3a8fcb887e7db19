/** Access keys and their secrets: where they come from and how they are kept. */
package io.volute.server.credentials;
