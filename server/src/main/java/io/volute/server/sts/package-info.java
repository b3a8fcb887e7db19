/** The part of AWS's Security Token Service that makes sessions: its Query protocol on POST /. */
package io.volute.server.sts;
