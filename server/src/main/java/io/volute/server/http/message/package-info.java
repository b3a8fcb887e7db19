/** Heads of requests and answers, and the framing of bodies: strict in what is taken. */
package io.volute.server.http.message;
