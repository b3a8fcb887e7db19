package io.volute.admin.grammar;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** An example of a command. Its usage and its manual page show it. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Repeatable(Example.All.class)
public @interface Example {
    /** Returns the line for a shell; it begins with {@code volute}. */
    String value();

    /** Returns the effect of the line, as a sentence. */
    String does();

    /** The examples of one command in their order. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    @interface All {
        Example[] value();
    }
}
