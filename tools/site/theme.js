import DefaultTheme from "vitepress/theme";
import "./theme.css";

export default DefaultTheme;
