package io.volute.adminapi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The meaning of a record of the admin API or of one of its fields, for {@code
 * docs/reference/openapi.yaml}. The name, the type and whether a field is needed come from the
 * record.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.TYPE})
public @interface Described {
    /** The meaning, without the name of the field; empty if the name is enough. */
    String value() default "";

    /** The texts that the field can have; empty if it can have others. */
    String[] oneOf() default {};

    /** The least number. */
    long min() default Long.MIN_VALUE;

    /** The greatest number. */
    long max() default Long.MAX_VALUE;

    /** The value of a field that is missing in a request; empty if there is none. */
    String byDefault() default "";

    /** The schema of the field, or of the members of a list, that several fields share. */
    String schema() default "";

    /** True if the field can be missing although its type is not optional. */
    boolean canBeMissing() default false;
}
