package javax.annotation;

/** In Maven's jakarta.annotation-api 1.3, which the client's pom.xml names; nothing else of it is used. */
public @interface Generated {
  String[] value();

  String date() default "";

  String comments() default "";
}
