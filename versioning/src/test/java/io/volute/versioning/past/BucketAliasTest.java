package io.volute.versioning.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.value.BucketAlias;
import io.volute.versioning.value.BucketName;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketAliasTest {
    private static final Instant INSTANT = Instant.parse("2026-11-20T14:05:00Z");

    @Test
    void readsTheBucketAndTheInstant() {
        assertThat(BucketAlias.parse("photos--at-20261120t140500z"))
                .contains(new BucketAlias("photos", INSTANT));
        assertThat(BucketAlias.parse("a--at-b--at-20240229t235959z"))
                .contains(new BucketAlias("a--at-b", Instant.parse("2024-02-29T23:59:59Z")));
        assertThat(BucketAlias.instant("20261120T140500Z")).contains(INSTANT);
    }

    @Test
    void namesTheBucketAndTheInstant() {
        assertThat(new BucketAlias("photos", INSTANT).name())
                .isEqualTo("photos--at-20261120t140500z");
    }

    @Test
    void theLongestNameHasAnAlias() {
        String longest = "b".repeat(BucketName.CHARS_MAX);
        String alias = longest + "--at-20261120t140500z";
        assertThat(alias).hasSize(BucketName.CHARS_MAX + BucketAlias.SUFFIX_CHARS);
        assertThat(BucketAlias.parse(alias)).contains(new BucketAlias(longest, INSTANT));
    }

    @Test
    void noBucketIsCalledLikeAnAlias() {
        assertThat(BucketName.isValid("photos--at-20261120t140500z")).isFalse();
        assertThat(BucketName.isValid("photos--at-19700101t000000z")).isFalse();
        assertThat(BucketName.isValid("photos--at-20261120t140500z--at-20261120t140500z"))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "photos",
                "photos--at-",
                "photos--at-noon",
                "photos--at-20261399t000000z",
                "photos--at-20250229t000000z",
                "photos--at-20261120t240000z",
                "photos--at-20261120t140560z",
                "photos--at-19691231t235959z",
                "photos--at-20261120t140500",
                "photos--at-20261120-140500z",
                "photos-at-20261120t140500z",
                "photos--at-20261120t140500z1"
            })
    void whatHasNoInstantIsANameLikeAnyOther(String name) {
        assertThat(BucketAlias.parse(name)).isEmpty();
        assertThat(BucketName.isValid(name)).isEqualTo(!name.endsWith("-"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "photos--at-20261120T140500Z",
                "photos--at-20261120t140500Z",
                "photos--AT-20261120t140500z",
                "photos--at-\u0662\u0660\u0662\u0666\u0661\u0661\u0662\u0660t140500z",
                "--at-20261120t140500"
            })
    void isInLowerCaseAndAscii(String name) {
        assertThat(BucketAlias.parse(name)).isEmpty();
        assertThat(BucketName.isValid(name)).isFalse();
    }
}
