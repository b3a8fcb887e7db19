/**
 * The load under which a build trains the JVM: requests of all common kinds to a server whose JVM
 * records which classes they load and how their methods behave (JEP 483, JEP 515).
 */
package io.volute.distribution.training;
