/** The heap that requests and their answers hold, weighed in bytes. */
package io.volute.server.http.memory;
