package io.volute.admin.grammar;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A former spelling of arguments, which goes on working with a warning. It stands at the command,
 * or at a mixin with options.
 *
 * <p>Both spellings are words with a space between them. An option and its value are two words. A
 * name in capitals stands for a value: {@code BUCKET} has no slash, {@code NUMBER} is digits, and
 * any other is any text. A word may have more than one: {@code s3://BUCKET/KEY}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Repeatable(OldSpelling.All.class)
public @interface OldSpelling {
    /** The former spelling. A word without a dash and capitals is a former name of a command. */
    String value();

    /** The present one, with the names of the former. */
    String now();

    /** The former spellings of one command. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    @interface All {
        OldSpelling[] value();
    }
}
