/** Targets of checkpoint copies other than files: buckets, of this server and of others. */
package io.volute.server.deposit;
