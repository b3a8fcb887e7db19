/** The Query protocol of AWS: a signed form on POST / calls a service, which answers XML. */
package io.volute.server.query;
