package io.volute.versioning;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** What the object store may use. Think hard before changing this. */
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.volute");

    @Test
    void knowsNothingAbove() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.versioning..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.volute.server..",
                        "io.volute.admin..",
                        "io.netty..",
                        "javax.xml..",
                        "org.rocksdb..",
                        "java.nio.channels..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void usesTheStorageCoreByItsOuterPackages() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.versioning..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.volute.storage..")
                                .and(
                                        resideOutsideOfPackages(
                                                "io.volute.storage", "io.volute.storage.report")))
                .check(CLASSES);
    }
}
